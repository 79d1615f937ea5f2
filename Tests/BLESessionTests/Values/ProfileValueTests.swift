import BLESession
import Foundation
import Testing

@Suite struct ProfileValueTests {
  private func octets(_ text: String) throws -> Data { try Hexadecimal.decode(text) }

  @Test("R0.9 a battery's level is a percentage, and nothing else", arguments: [("00", 0), ("64", 100), ("2A", 42)])
  func battery(text: String, level: Int) throws {
    #expect(ProfileValue.batteryLevel.decode(try octets(text)) == level)
    #expect(ProfileValue.batteryLevel.path == CharacteristicPath("2A19", in: "180F"))
  }

  @Test("R0.9 an invalid level is reported as such", arguments: ["", "65", "FF"])
  func noBattery(text: String) throws {
    #expect(ProfileValue.batteryLevel.decode(try octets(text)) == nil)
  }

  @Test("a heart rate with each of its fields")
  func heartRate() throws {
    let short = try #require(HeartRate(try octets("00 48")))
    #expect(short.beatsPerMinute == 72 && short.hasContact == nil && short.energyExpended == nil)
    #expect(short.intervals.isEmpty)
    let long = try #require(HeartRate(try octets("1F 2C01 3412 0004 0002")))
    #expect(long.beatsPerMinute == 300 && long.hasContact == true && long.energyExpended == 0x1234)
    #expect(long.intervals == [1, 0.5])
    #expect(HeartRate(try octets("04 50"))?.hasContact == false)
  }

  @Test("a heart rate that is truncated anywhere is invalid, or has fewer intervals; it never traps")
  func cutHeartRate() throws {
    let whole = try octets("1F 2C01 3412 0004 0002")
    for count in 0..<whole.count {
      let rate = HeartRate(whole.prefix(count))
      #expect((rate == nil) == (count < 5))
    }
    for first in UInt8.min...UInt8.max { _ = HeartRate(Data([first])) }
  }

  @Test(
    "temperatures of both services",
    arguments: [
      ("00 6E0100FF", 36.6), ("01 DA0300FF", 37.0), ("00 2500 00 00", 37.0), ("00 FFFFFFFF", -0.1),
    ])
  func bodyTemperature(text: String, degrees: Double) throws {
    let value = try #require(ProfileValue.bodyTemperature.decode(try octets(text)))
    #expect(abs(value - degrees) < 0.01)
  }

  @Test("invalid temperatures", arguments: ["", "00", "00 FFFF7F00", "00 00008000", "00 FEFF7F00", "00 02008000"])
  func noTemperature(text: String) throws {
    #expect(ProfileValue.bodyTemperature.decode(try octets(text)) == nil)
  }

  @Test("the environment's values, and their patterns for an unknown value")
  func environment() throws {
    #expect(ProfileValue.temperature.decode(try octets("B3FF")) == -0.77)
    #expect(ProfileValue.temperature.decode(try octets("0080")) == nil)
    #expect(ProfileValue.temperature.decode(try octets("01")) == nil)
    #expect(ProfileValue.humidity.decode(try octets("8813")) == 50)
    #expect(ProfileValue.humidity.decode(try octets("FFFF")) == nil)
    #expect(ProfileValue.humidity.decode(try octets("88")) == nil)
    #expect(ProfileValue.pressure.decode(try octets("E2760F00")) == 101_347.4)
    #expect(ProfileValue.pressure.decode(try octets("E2760F")) == nil)
    #expect(ProfileValue.transmitPower.decode(try octets("F8")) == -8)
    #expect(ProfileValue.transmitPower.decode(Data()) == nil)
  }

  @Test("texts of the device information: trailing zeros are padding, and invalid UTF-8 is no text")
  func texts() throws {
    #expect(ProfileValue.manufacturerName.decode(Data("Owenli\0\0".utf8)) == "Owenli")
    #expect(ProfileValue.serialNumber.decode(Data()) == "")
    #expect(ProfileValue.modelNumber.decode(try octets("C3 28")) == nil)
    #expect(ProfileValue.firmwareRevision.path == CharacteristicPath("2A26", in: "180A"))
  }

  @Test("values inside slices of other data are read correctly")
  func slices() {
    let all = Data([9, 9, 42, 0x48])
    #expect(ProfileValue.batteryLevel.decode(all[2...]) == 42)
    #expect(ProfileValue.temperature.decode(all[2...]) == 184.74)
  }
}
