// A pause of the current thread, for waits that nothing else can end.

import RowanPlatform

/// Blocks the current thread for less than a second.
package func pauseThread(for duration: Duration) {
    usleep(UInt32(clamping: Int(min(duration, .milliseconds(999)) / .microseconds(1))))
}
