/** CPU time that this process has spent, in milliseconds: it stands still while the machine does something else. */
export function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
