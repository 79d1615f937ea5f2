import BLECrypto

/// The page around the data. It loads nothing, and its policy allows no script and no style but its own: nothing in a capture, and
/// nothing that a device is called, can be run.
enum TimelinePage {
  static func head(title: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>\(PageData.html(title))</title>
    <style>\(TimelineStyle.text)</style>
    </head>
    <body>
    <header>
    <h1>\(PageData.html(title))</h1>
    <p id="summary">Reading …</p>
    <ul id="notes"></ul>
    </header>
    <noscript><p>This page draws its data with a script, which this browser does not run.</p></noscript>
    \(body)

    """
  }

  static let foot = "<script>\(script)</script>\n</body>\n</html>\n"

  private static let script = [
    TimelineScript.model, TimelineScript.layout, TimelineScript.picture, TimelineScript.list, TimelineScript.start,
  ].joined(separator: "\n")

  private static let policy =
    "default-src 'none'; style-src '\(source(TimelineStyle.text))'; script-src '\(source(script))'; "
    + "base-uri 'none'; form-action 'none'"

  private static func source(_ text: String) -> String {
    "sha256-\(PageData.base64(SHA256.digest(of: Array(text.utf8))))"
  }

  private static let body = """
    <main>
    <div id="tools" role="toolbar" aria-label="View">
    <button type="button" id="out" title="Less of a stretch (key -)" aria-label="Zoom out">−</button>
    <button type="button" id="in" title="More of a stretch (key +)" aria-label="Zoom in">+</button>
    <button type="button" id="fit" title="Everything in the window (key 0)">Fit</button>
    <button type="button" id="fold" title="Fold all quiet stretches again" hidden>Fold</button>
    <button type="button" id="fault" title="To the next fault or failure (key f)" hidden>Next fault</button>
    <label id="pick" hidden>Device <select id="device"></select></label>
    <span id="kinds" role="group" aria-label="Shown"></span>
    </div>
    <div id="view" tabindex="-1">
    <div id="space"></div>
    <div id="folds"></div>
    <canvas id="picture" aria-hidden="true"></canvas>
    </div>
    <section id="detail" aria-label="Event">
    <p id="what">Point at an event, or choose one with the arrow keys.</p>
    <p id="text"></p>
    <pre id="octets" aria-label="Octets"></pre>
    <p id="joined"></p>
    </section>
    <div id="list" tabindex="0" role="group" aria-label="All events; arrow keys choose one, left and right follow what caused it">
    <div id="height"></div>
    <table id="rows">
    <caption>Events in order</caption>
    <colgroup><col class="time"><col class="device"><col class="lane"><col></colgroup>
    <thead><tr><th scope="col">Time</th><th scope="col">Device</th><th scope="col">Lane</th><th scope="col">Event</th></tr></thead>
    <tbody></tbody>
    </table>
    </div>
    <p id="said" aria-live="polite"></p>
    </main>
    """
}
