// The method of a pairing is the same word for whoever runs a pairing and for whoever answers its questions.
@_exported import enum BLEPairing.PairingMethod
