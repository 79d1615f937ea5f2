/// Handles the inputs of a machine one after another: an input that an action leads to waits until all actions before it are performed.
final class InputQueue<Input> {
  private var waiting: [Input] = []
  private var isHandling = false

  func add(_ input: Input, _ handle: (Input) -> Void) {
    if isHandling { return waiting.append(input) }
    isHandling = true
    defer { isHandling = false }
    handle(input)
    while !waiting.isEmpty { handle(waiting.removeFirst()) }
  }
}
