// The position of a mistake, so that a program that shows mistakes needs to import this module only.
@_exported import struct BLEText.TextPosition
