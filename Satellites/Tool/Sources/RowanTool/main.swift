import Foundation
import RowanCommands

exit(await RowanCommand.execute())
