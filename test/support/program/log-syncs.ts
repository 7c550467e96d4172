/*
 * Preloaded into a process whose files must be durable: appends a line for each sync of a file, once that is over, to the file that the
 * last argument names. A line is the path and how many bytes the file had when the sync began.
 */
const log = process.argv.at(-1) ?? "";
// Named imports take what this module has when the first of them is loaded.
const fs = require("node:fs") as typeof import("node:fs");

type Sync = (fd: number, done: (error: Error | null) => void) => void;

function logged(sync: Sync): Sync {
  return (fd, done) => {
    const line = `${fs.readlinkSync(`/proc/self/fd/${fd}`)} ${fs.fstatSync(fd).size}\n`;
    sync(fd, (error) => {
      fs.appendFileSync(log, line);
      done(error);
    });
  };
}

Object.assign(fs, { fsync: logged(fs.fsync), fdatasync: logged(fs.fdatasync) });
