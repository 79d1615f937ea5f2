// The first source of this target.
