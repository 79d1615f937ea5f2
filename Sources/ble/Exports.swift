// Text functions that all of the tool uses.
@_exported import BLEText
