// Objects of these classes can be arguments for `%@` in a format, as every object can on Apple's systems.

extension CBManager: CVarArg, _CVarArgObject {}
extension CBPeer: CVarArg, _CVarArgObject {}
extension CBAttribute: CVarArg, _CVarArgObject {}
extension CBUUID: CVarArg, _CVarArgObject {}
extension CBATTRequest: CVarArg, _CVarArgObject {}
extension CBL2CAPChannel: CVarArg, _CVarArgObject {}
extension CBChannelSoundingSessionConfiguration: CVarArg, _CVarArgObject {}
extension CBChannelSoundingProcedureResults: CVarArg, _CVarArgObject {}

extension CVarArg where Self: NSObject {
  /// The value for a format: the description.
  public var _cVarArgObject: any CVarArg { NSString(string: description) }
  /// The value for a C function: the address.
  public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}
