// The first test of this target.
