import BLETestKit
import CoreBluetooth
import Testing

@Suite("A3: the delegate methods about channels", .keepsCapture)
struct ChannelDelegateTests {
  private static func publish(on stage: Stage) async throws -> CBL2CAPPSM {
    stage.far.forget()
    stage.peripheralManager.publishL2CAPChannel(withEncryption: false)
    await stage.world.settle()
    return try stage.far.only("peripheralManager(_:didPublishL2CAPChannel:error:)").argument(1)
  }

  @Test("R3.2 peripheralManager(_:didPublishL2CAPChannel:error:) has the PSM under which centrals find the channel")
  func published() async throws {
    let stage = Stage()
    await stage.world.settle()
    let psm = try await Self.publish(on: stage)
    let call = try stage.far.only("peripheralManager(_:didPublishL2CAPChannel:error:)")
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager && call.error == nil)
    #expect((0x0080...0x00FF).contains(psm))
    #expect(stage.far.calls.count == 1)
  }

  @Test("R3.2 peripheralManager(_:didUnpublishL2CAPChannel:error:) reports that no further channels are opened there")
  func unpublished() async throws {
    let method = "peripheralManager(_:didUnpublishL2CAPChannel:error:)"
    let stage = Stage()
    await stage.world.settle()
    let psm = try await Self.publish(on: stage)
    stage.far.forget()
    stage.peripheralManager.unpublishL2CAPChannel(psm)
    await stage.world.settle()
    let call = try stage.far.only(method)
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager && call.error == nil)
    #expect(call.arguments[1] as? CBL2CAPPSM == psm)
    stage.far.forget()
    stage.peripheralManager.unpublishL2CAPChannel(psm)
    await stage.world.settle()
    #expect(try stage.far.only(method).error is CBError)
  }

  @Test("R3.2 peripheralManager(_:didOpen:error:) brings each channel that a central opens")
  func openedByPeer() async throws {
    let (stage, peripheral) = try await Stage.connected()
    let psm = try await Self.publish(on: stage)
    stage.far.forget()
    peripheral.openL2CAPChannel(psm)
    await stage.world.settle()
    let call = try stage.far.only("peripheralManager(_:didOpen:error:)")
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager && call.error == nil)
    let channel: CBL2CAPChannel = try call.argument(1)
    #expect(channel.psm == psm && channel.peer is CBCentral)
  }

  @Test("R3.2 peripheral(_:didOpen:error:) brings the requested channel, or the reason why there is none")
  func opened() async throws {
    let method = "peripheral(_:didOpen:error:)"
    let (stage, peripheral) = try await Stage.connected()
    let psm = try await Self.publish(on: stage)
    peripheral.openL2CAPChannel(psm)
    await stage.world.settle()
    let call = try stage.near.only(method)
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
    let channel: CBL2CAPChannel = try call.argument(1)
    #expect(channel.psm == psm && channel.peer === peripheral)
    stage.near.forget()
    peripheral.openL2CAPChannel(psm ^ 1)
    await stage.world.settle()
    let refused = try stage.near.only(method)
    #expect(refused.error is CBError && refused.arguments[1] as? CBL2CAPChannel == nil)
  }
}
