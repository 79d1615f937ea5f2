// Where a mistake stands: a program that shows mistakes imports this module alone.
@_exported import struct BLEText.TextPosition
