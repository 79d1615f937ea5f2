/// Every packet of every layer. Generic tests, fuzzers' seeds and dissectors feed on it: what is declared is tested.
public enum PacketRegistry {
  public static let all: [PacketDescription] =
    HCIRegistry.all + LinkLayerRegistry.all + L2CAPRegistry.all + ATTRegistry.all + SMPRegistry.all
    + AdvertisingDataRegistry.all

  /// The packets of one layer.
  public static func packets(of layer: WireLayer) -> [PacketDescription] {
    all.filter { $0.layer == layer }
  }
}
