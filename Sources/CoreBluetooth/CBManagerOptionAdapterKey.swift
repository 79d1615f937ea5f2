/// Linux only: which adapter a manager is on, as an option of its initializer. The value is an `any Adapter` (module
/// BLEAdapter), for instance a device of a test's world. Without it the manager is on the adapter that `BLE_ADAPTER` or the
/// configuration names, which is the embedded radio where neither does.
public let CBManagerOptionAdapterKey: String = "kCBInitOptionAdapter"
