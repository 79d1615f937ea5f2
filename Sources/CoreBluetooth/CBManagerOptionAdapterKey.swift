/// Linux only: the adapter of a manager, as an option of its initializer. The value is the name of an adapter as in `BLE_ADAPTER`
/// (`"bluez:hci1"`), or an `any Adapter` (module BLEAdapter), for example a device of a test's world. Managers with different
/// adapters may exist in one process; those with the same name share an adapter, and the state of one with an invalid name is
/// `unsupported`.
///
/// Without it the manager uses the adapter that `BLE_ADAPTER` or the configuration names; if neither does, the machine's own if
/// it has one that this user may use without further configuration, else the embedded radio.
public let CBManagerOptionAdapterKey: String = "kCBInitOptionAdapter"
