// Both this target and pairing agents use this type.
@_exported import enum BLEPairing.PairingMethod
