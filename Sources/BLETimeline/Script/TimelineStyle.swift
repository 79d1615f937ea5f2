/// The style of the page.
enum TimelineStyle {
  static let text = #"""
    :root {
      color-scheme: light dark;
      --ground: #ffffff; --raised: #f4f5f7; --line: #d5d9e0; --ink: #1b1f27; --quiet: #596170; --pick: #dbeafe;
      --app: #6d28d9; --host: #566072; --report: #8a5a00; --attribute: #0b63a5; --signaling: #0f766e; --security: #047857;
      --channel: #0f766e; --air: #475569; --mark: #b45309; --fault: #c81e1e; --join: #9aa5b8; --focus: #1d4ed8;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #12151b; --raised: #1b2029; --line: #333b49; --ink: #e6e9ef; --quiet: #9aa5b8; --pick: #1e3a5f;
        --app: #c4a6ff; --host: #a9b4c6; --report: #e5b94e; --attribute: #63b8f5; --signaling: #4fd1c0; --security: #4fd19a;
        --channel: #4fd1c0; --air: #b3bfd1; --mark: #f3a35c; --fault: #ff8080; --join: #5d6a80; --focus: #7db2ff;
      }
    }
    * { box-sizing: border-box; }
    html, body { margin: 0; height: 100%; background: var(--ground); color: var(--ink); }
    body { font: 14px/1.4 system-ui, sans-serif; display: flex; flex-direction: column; padding: 0 12px 8px; }
    header { flex: none; }
    h1 { font-size: 17px; margin: 10px 0 0; overflow-wrap: anywhere; }
    #summary { margin: 2px 0 0; color: var(--quiet); }
    #notes { margin: 4px 0 0; padding-left: 18px; max-height: 6.5em; overflow: auto; overflow-wrap: anywhere; }
    #notes:empty { display: none; }
    main { flex: 1; min-height: 0; display: flex; flex-direction: column; gap: 8px; padding-top: 8px; }
    button, select, label.kind {
      font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
      padding: 3px 9px; cursor: pointer;
    }
    button:focus-visible, select:focus-visible, #list:focus-visible, #view:focus-visible, input:focus-visible {
      outline: 2px solid var(--focus); outline-offset: 1px;
    }
    #tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; flex: none; }
    #kinds { display: flex; flex-wrap: wrap; gap: 4px; }
    label.kind { font-size: 12px; padding: 2px 7px 2px 4px; display: inline-flex; align-items: center; gap: 3px; }
    label.kind input { margin: 0; accent-color: var(--focus); }
    #view {
      position: relative; overflow: auto; flex: none; border: 1px solid var(--line); border-radius: 6px;
      background: var(--ground); min-height: 96px; max-height: 46vh;
    }
    #space { position: absolute; left: 0; top: 0; pointer-events: none; }
    #picture { display: block; position: sticky; left: 0; top: 0; cursor: crosshair; }
    #folds { position: sticky; left: 0; top: 0; height: 0; width: 0; z-index: 1; }
    #folds button {
      position: absolute; top: 2px; height: 20px; padding: 0 4px; font-size: 11px; line-height: 16px; white-space: nowrap;
      color: var(--quiet); transform: translateX(-50%);
    }
    #detail {
      flex: none; border: 1px solid var(--line); border-radius: 6px; padding: 6px 10px; background: var(--raised);
      height: 10.5em; overflow: auto;
    }
    #detail p { margin: 0 0 4px; overflow-wrap: anywhere; }
    #what { color: var(--quiet); font-size: 12px; }
    #text { font-weight: 600; }
    #octets { margin: 0 0 4px; font: 12px/1.35 ui-monospace, monospace; overflow-x: auto; }
    #joined { display: flex; flex-wrap: wrap; gap: 4px; }
    #joined button { font-size: 12px; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    #list { flex: 1 1 0; min-height: 120px; position: relative; overflow: auto; border: 1px solid var(--line); border-radius: 6px; }
    #height { position: absolute; width: 1px; left: 0; top: 0; }
    #rows { position: absolute; left: 0; top: 0; width: 100%; border-collapse: collapse; table-layout: fixed; }
    #rows caption, #rows thead, #said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
    #rows tr { height: 24px; cursor: pointer; }
    #rows td {
      padding: 0 8px 0 0; height: 24px; line-height: 24px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
      font-size: 13px;
    }
    col.time { width: 108px; }
    col.device { width: 104px; }
    col.lane { width: 64px; }
    #rows td:nth-child(1) {
      text-align: right; font-family: ui-monospace, monospace; color: var(--quiet); font-size: 12px;
    }
    #rows td:nth-child(2) { color: var(--quiet); }
    #rows tr[aria-current] { background: var(--pick); }
    #rows tr.joined td:nth-child(4) { text-decoration: underline; text-decoration-color: var(--join); }
    #rows tr.error td:nth-child(4) { color: var(--fault); }
    @media (max-width: 560px) {
      body { padding: 0 6px 6px; }
      col.time { width: 82px; }
      col.device { width: 54px; }
      col.lane { width: 44px; }
      #view { max-height: 38vh; }
      #detail { height: 9em; }
      button { padding: 3px 7px; }
    }
    @media (max-height: 560px) { body, html { height: auto; } #list { min-height: 300px; flex: none; } }
    """#
}
