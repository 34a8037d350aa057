import Foundation
import RowanCommands
import RowanInspector
import RowanShell

exit(await RowanCommand.execute(adding: [ShellCommand.self, InspectCommand.self]))
