/// Linux only: which adapter a manager is on, as an option of its initializer. The value is the name of an adapter as in `BLE_ADAPTER`
/// (`"bluez:hci1"`), or an `any Adapter` (module BLEAdapter), for instance a device of a test's world. Managers with different adapters
/// may be in one process; those of one name share an adapter, and one with a name that is none is `unsupported`.
///
/// Without it the manager is on the adapter that `BLE_ADAPTER` or the configuration names; where neither does, on the machine's own if
/// it has one that this user may use as things are, else on the embedded radio.
public let CBManagerOptionAdapterKey: String = "kCBInitOptionAdapter"
