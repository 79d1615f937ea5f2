import Foundation
import Testing

@testable import delegate_check
@testable import symbol_comparison

/// Finds delegate methods that Swift never calls, in sources that the compiler has read.
@Suite("Delegate methods in subclasses")
struct DelegateCheckTests {
  private func findings(_ source: String) throws -> [String] {
    let graphs = try BuiltModule.toolchain.symbolGraphs(of: "import CoreBluetooth\n" + source)
    return try SubclassMethods.findings(in: graphs).map { "\($0.line) \($0.type).\($0.method) \($0.delegate)" }.sorted()
  }

  private static let base = "class Base: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {\n"

  @Test("a method that only a subclass of the delegate's class implements is found, with its place")
  func subclassOnly() throws {
    let found = try findings(
      Self.base + """
          func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        }
        class Middle: Base {}
        private final class Derived: Middle {
          func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
        }
        extension Derived {
          func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {}
        }
        """)
    #expect(
      found == [
        "10 Derived.peripheral(_:didDiscoverServices:) CBPeripheralDelegate",
        "7 Derived.centralManager(_:didConnect:) CBCentralManagerDelegate",
      ])
  }

  @Test("methods of the class itself, overrides, and methods of other names are not found")
  func rightOnes() throws {
    let found = try findings(
      Self.base + """
          func centralManagerDidUpdateState(_ central: CBCentralManager) {}
          func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
          func connect() {}
        }
        class Derived: Base {
          override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
          func centralManager(_ central: CBCentralManager, didSomethingElse peripheral: CBPeripheral) {}
        }
        class Plain: NSObject {}
        class Other: Plain, CBPeripheralManagerDelegate {
          func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
          func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {}
        }
        """)
    #expect(found.isEmpty)
  }

  @Test("the check knows every optional delegate method")
  func methods() throws {
    let interface = try BuiltModule.toolchain.interface()
    for (delegate, methods) in DelegateMethods.all {
      let optional = interface.filter { $0.hasDefault && $0.owner == delegate }
        .map { String($0.path.dropFirst(delegate.count + 1)) }
      #expect(Set(optional) == methods)
    }
    #expect(DelegateMethods.all.count == 3)
  }
}
