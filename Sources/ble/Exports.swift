// What all of the tool writes text with.
@_exported import BLEText
