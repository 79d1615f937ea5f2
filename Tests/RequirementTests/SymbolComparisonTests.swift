import Foundation
import Testing

@testable import symbol_comparison

/// The module that this test program was built with, and the list of Apple's symbols.
enum BuiltModule {
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path
  static let list = package + "/" + SymbolComparisonTool.list
  /// In the same folder as the test program, which may have been built in another folder than usual.
  static let toolchain = Toolchain(
    package: package,
    modules: URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/Modules")
}

/// Compares the interface of the built module with the list of Apple's symbols, and shows that the comparison notices changes.
@Suite("A3: the symbols")
struct SymbolComparisonTests {
  private func comparison() throws -> SymbolComparison {
    SymbolComparison(
      list: try ListedSymbol.list(at: BuiltModule.list), interface: try BuiltModule.toolchain.interface(),
      annotations: try Annotations.read(at: BuiltModule.package + "/" + SymbolComparisonTool.annotations))
  }

  @Test("R3.1 every symbol of the list is declared as Apple declares it, and no other, except a justified list")
  func everything() throws {
    let comparison = try comparison()
    let findings = try comparison.findings(BuiltModule.toolchain.errors)
    for finding in findings { Issue.record("\(finding)") }
    print(SymbolComparisonTool.summary(comparison, findings))
    #expect(comparison.list.count > 400)
    #expect(comparison.annotations.extra.count <= 10)
  }

  @Test("R3.1 every number and text that the list contains is Apple's")
  func values() throws {
    let reader: any SymbolValueReader = SymbolValues()
    let values = reader.values
    var count = 0
    for symbol in try ListedSymbol.list(at: BuiltModule.list) {
      let wanted: SymbolValue
      if let number = symbol.rawValue {
        wanted = SymbolValue(number)
      } else if let text = symbol.stringValue {
        wanted = SymbolValue(text)
      } else {
        continue
      }
      #expect(values[symbol.symbol] == wanted, "\(symbol.id)")
      count += 1
    }
    print("\(count) numbers and texts compared")
    #expect(count > 150)
  }

  @Test("R3.1 each symbol that is removed is reported, and no other")
  func removal() throws {
    let whole = try comparison()
    let compiler = Self.asPromised(whole)
    for symbol in whole.list where !symbol.isUnavailable && !symbol.isHiddenFromGraphs {
      let declaration = try #require(whole.declaration(of: symbol))
      let rest = whole.interface.filter { $0.path != declaration.path || $0.declaration != declaration.declaration }
      let findings = try SymbolComparison(list: whole.list, interface: rest, annotations: whole.annotations)
        .findings(compiler)
      #expect(findings.contains { $0.symbol == symbol.id }, "\(symbol.id)")
      #expect(Set(findings.map(\.symbol)).isSubset(of: Self.ids(named: symbol.symbol, in: whole)), "\(symbol.id)")
    }
  }

  @Test("R3.1 each different way of declaring a symbol is reported")
  func alteration() throws {
    let whole = try comparison()
    let changes: [(String, (inout InterfaceSymbol) -> Void)] = [
      ("CBPeripheral.name", { $0.declaration = "var name: String { get }" }),
      ("CBPeripheral.delegate", { $0.declaration = $0.declaration.replacing("{ get set }", with: "{ get }") }),
      ("CBPeripheral.delegate", { $0.declaration = $0.declaration.replacing("weak ", with: "") }),
      ("CBPeripheral.services", { $0.access = "public" }),
      ("CBPeripheral", { $0.access = "public" }),
      ("CBPeripheral", { $0.superclass = "NSObject" }),
      ("CBManagerState", { $0.kind = "swift.struct" }),
      ("CBManagerState.poweredOn", { $0.rawValue = 4 }),
      ("CBCentralManager.connect(_:options:)", { $0.declaration.replace(" = nil", with: "") }),
      ("CBCentralManager.connect(_:options:)", { $0.declaration.replace("(_ ", with: "(") }),
      ("CBCentralManager.supports(_:)", { $0.declaration.replace("class ", with: "static ") }),
      ("CBCentralManager.supports(_:)", { $0.declaration.replace("@discardableResult ", with: "") }),
      ("CBCentralManager.init()", { $0.declaration.replace("convenience ", with: "") }),
      ("CBCentralManagerDelegate.centralManager(_:didConnect:)", { $0.hasDefault = false }),
      ("CBCentralManagerDelegate.centralManagerDidUpdateState(_:)", { $0.hasDefault = true }),
      ("CBPeripheral.rssi", { $0.isDeprecated = false }),
      ("CBPeripheral.readRSSI()", { $0.isDeprecated = true }),
      ("CBManager.state", { $0.declaration = "var state: CBCentralManagerState { get }" }),
      ("CBCentralManager", { $0.documentation = "A manager." }),
    ]
    for (path, change) in changes {
      var interface = whole.interface
      let index = try #require(
        interface.firstIndex { $0.path == path && $0.kind != "swift.typealias" && !$0.isSynthesized }, "\(path)")
      change(&interface[index])
      let findings = try SymbolComparison(list: whole.list, interface: interface, annotations: whole.annotations)
        .findings(Self.asPromised(whole))
      #expect(!findings.isEmpty && findings.allSatisfy { $0.symbol.hasPrefix(path) }, "\(path): \(findings)")
    }
  }

  @Test("R3.1 symbols that Apple does not have are reported, as are exceptions for missing symbols")
  func extras() throws {
    let whole = try comparison()
    let added = InterfaceSymbol(
      path: "CBPeripheral.connect()", kind: "swift.method", access: "open", declaration: "func connect()",
      documentation: "")
    var annotations = whole.annotations
    annotations.extra["CBNothing"] = "a reason"
    annotations.different["CBManager"] = "a reason"
    let findings = try SymbolComparison(
      list: whole.list, interface: whole.interface + [added], annotations: annotations
    ).findings(Self.asPromised(whole))
    #expect(findings.map(\.kind) == [.extra, .stale, .stale])
    #expect(findings.map(\.symbol) == ["CBPeripheral.connect()", "CBManager", "CBNothing"])
  }

  @Test("R3.1 a conformance that should not exist, and a hidden name that is missing, are reported")
  func compilerProbe() throws {
    let whole = try comparison()
    let probe = CompilerProbe(whole.list)
    // The compiler accepts everything, then nothing.
    let all = try probe.findings { _ in [:] }
    #expect(all.contains { $0.symbol == "CBPeripheral" && $0.detail.contains("Sendable") })
    #expect(all.contains { $0.symbol == "CBManager.init()#unavailable" })
    let none = try probe.findings { source in
      Dictionary(uniqueKeysWithValues: (2...source.split(separator: "\n").count).map { ($0, "no") })
    }
    #expect(none.contains { $0.symbol == "CBError._nsError" })
    #expect(none.contains { $0.symbol == "CBManagerState" && $0.detail.contains("Sendable") })
    #expect(all.count + none.count == probe.questions.count)
  }

  /// A compiler that accepts everything that the annotations do not except, so that only the graph counts.
  private static func asPromised(_ comparison: SymbolComparison) -> (String) -> [Int: String] {
    let questions = CompilerProbe(comparison.list).questions
    return { _ in
      questions.enumerated().reduce(into: [:]) { errors, entry in
        let (index, question) = entry
        let isMeant = comparison.annotations.different[question.symbol] != nil && !question.shouldCompile
        if !question.shouldCompile && !isMeant { errors[index + 2] = "no" }
      }
    }
  }

  private static func ids(named symbol: String, in comparison: SymbolComparison) -> Set<String> {
    Set(comparison.list.filter { $0.symbol == symbol }.map(\.id))
  }
}
