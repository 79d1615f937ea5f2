// Text functions, and what is reported of devices: all of the tool uses them.
@_exported import BLEReports
@_exported import BLEText
