// The prompt: libedit.

import CEditLine
import Foundation
import RowanCommands

/// Edits lines in a terminal.
final class LineEditor: LineSource {
    private let edit: OpaquePointer
    private let entries: OpaquePointer
    private let input: Input
    private let signals: Signals
    private let history: HistoryFile?
    private let complete: (_ before: String, _ after: String) -> Completion
    private var prompt: UnsafeMutablePointer<CChar>?
    private var lastEntry: String?

    /// Whether a person types: the editor needs a terminal for its text.
    static var isPossible: Bool {
        isatty(STDIN_FILENO) == 1 && (isatty(STDOUT_FILENO) == 1 || isatty(STDERR_FILENO) == 1)
    }

    /// - Parameter complete: completes the text before the cursor.
    init?(
        signals: Signals, history: HistoryFile?, complete: @escaping (_ before: String, _ after: String) -> Completion
    ) {
        Self.setUTF8()
        guard let edit = rowan_edit_open(isatty(STDOUT_FILENO) == 1 ? 0 : 1), let entries = history_init() else {
            return nil
        }
        (self.edit, self.entries, self.signals, self.history, self.complete) = (
            edit, entries, signals, history, complete
        )
        input = Input(STDIN_FILENO, signals: signals)
        rowan_edit_set_data(edit, Unmanaged.passUnretained(self).toOpaque())
        rowan_edit_set_prompt(edit) { LineEditor.of($0).prompt }
        rowan_edit_set_reader(edit) { edit, character in LineEditor.of(edit).read(character) }
        rowan_edit_set_editor(edit, "emacs")
        rowan_edit_add(edit, "rowan-complete", "Completes a name.") { edit, _ in LineEditor.of(edit).completeLine() }
        rowan_edit_bind(edit, "^I", "rowan-complete")
        rowan_edit_bind(edit, "^R", "em-inc-search-prev")
        rowan_history_limit(entries, Int32(HistoryFile.limit))
        rowan_edit_set_history(edit, entries)
        // The bindings of the user.
        el_source(edit, nil)
        for entry in history?.load() ?? [] { add(entry) }
    }

    deinit {
        el_end(edit)
        history_end(entries)
        free(prompt)
    }

    private static func of(_ edit: OpaquePointer?) -> LineEditor {
        Unmanaged.fromOpaque(rowan_edit_data(edit)).takeUnretainedValue()
    }

    /// Characters are UTF-8, also where the environment has no locale.
    private static func setUTF8() {
        for locale in ["", "C.UTF-8", "UTF-8"] where setlocale(LC_CTYPE, locale) != nil {
            if String(cString: nl_langinfo(nl_item(CODESET))).uppercased().contains("UTF-8") { return }
        }
    }

    // MARK: Lines

    func next(prompt: String) -> InputLine {
        free(self.prompt)
        self.prompt = strdup(prompt)
        // Before the prompt, so that no key is echoed twice.
        rowan_edit_prepare(edit, 1)
        var count: Int32 = 0
        let line = el_gets(edit, &count).map { String(cString: $0) }
        guard !signals.isInterrupted else { return .interrupted }
        guard var line else { return .end }
        if line.hasSuffix("\n") { line.removeLast() }
        return .line(line)
    }

    func remember(_ entry: String) {
        guard entry != lastEntry else { return }
        add(entry)
        history?.add(entry)
    }

    private func add(_ entry: String) {
        lastEntry = entry
        rowan_history_add(entries, entry)
    }

    // MARK: Keys

    /// Reads a character.
    ///
    /// - Returns: the number of characters; -1 stops editing.
    private func read(_ character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
        var bytes: [UInt8] = []
        while true {
            switch input.next() {
            case .byte(let byte):
                bytes.append(byte)
                guard bytes.count >= bytes[0].characterLength else { continue }
                let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first
                character?.pointee = wchar_t(scalar?.value ?? 0xFFFD)
                return 1
            // A terminal that was closed.
            case .end, .failure: return 0
            case .signal:
                if signals.isInterrupted { return -1 }
                // Another size, or the program continues after Ctrl-Z.
                rowan_edit_prepare(edit, 0)
                rowan_edit_prepare(edit, 1)
                el_resize(edit)
                show("\r")
                rowan_edit_draw(edit)
            }
        }
    }

    private func completeLine() -> UInt8 {
        guard let line = el_line(edit)?.pointee else { return UInt8(CC_ERROR) }
        func text(_ start: UnsafePointer<CChar>, _ end: UnsafePointer<CChar>) -> String {
            String(decoding: UnsafeRawBufferPointer(start: start, count: end - start), as: UTF8.self)
        }
        let completion = complete(text(line.buffer, line.cursor), text(line.cursor, line.lastchar))
        guard !completion.candidates.isEmpty else { return UInt8(CC_REFRESH_BEEP) }
        if let insertion = completion.insertion {
            el_deletestr(edit, Int32(completion.typed.unicodeScalars.count))
            guard el_insertstr(edit, insertion) == 0 else { return UInt8(CC_ERROR) }
            return UInt8(CC_REFRESH)
        }
        guard completion.candidates.count > 1 else { return UInt8(CC_NORM) }
        show("\n" + completion.list(width: Console.width ?? 80))
        rowan_edit_draw(edit)
        return UInt8(CC_NORM)
    }

    /// Writes to the terminal, after the text of the editor.
    private func show(_ text: String) {
        fflush(nil)
        let file = isatty(STDOUT_FILENO) == 1 ? STDOUT_FILENO : STDERR_FILENO
        _ = write(file, text, text.utf8.count)
    }
}

extension UInt8 {
    /// The number of bytes of the character that a byte begins.
    fileprivate var characterLength: Int {
        switch self {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
