import { ApiProperty } from '@nestjs/swagger';
import type { HostFacts } from './host-facts.js';

/** A whole number, or null. */
const Count = () => ApiProperty({ type: 'integer', nullable: true, minimum: 0 });

/** What a host told about itself; null where it did not tell. It is the host's word: nobody else has checked it. */
export class HostFactsView {
  /** @example "debian" */
  os: string | null;
  /** @example "12" */
  osVersion: string | null;
  /** @example "Debian GNU/Linux 12 (bookworm)" */
  osName: string | null;
  /** @example "linux" */
  kernel: string | null;
  /** @example "6.1.0-28-amd64" */
  kernelVersion: string | null;
  /** @example "x86_64" */
  arch: string | null;
  @Count()
  cpus: number | null;
  cpuModel: string | null;
  /** In MiB. */
  @Count()
  memoryMb: number | null;
  /** Of the file system of `/`, in MiB. */
  @Count()
  diskTotalMb: number | null;
  /** What the login user may still use of it, in MiB. */
  @Count()
  diskFreeMb: number | null;
  /** By the host's own clock. */
  bootedAt: string | null;
  /** @example "systemd" */
  init: string | null;
  hostname: string | null;
  /** @example "/usr/bin/python3" */
  pythonPath: string | null;
  /** @example "3.11.2" */
  pythonVersion: string | null;
}

export class ServerFactsView {
  serverId: string;
  /** Null: no check has signed in and read them since the server was registered under this address. */
  @ApiProperty({ type: HostFactsView, nullable: true })
  facts: HostFactsView | null;
  /** When they were read. */
  factsAt: string | null;
  /** How old they are, in seconds; null: there are none. */
  @Count()
  ageSeconds: number | null;
}

export const toHostFactsView = (facts: HostFacts): HostFactsView => ({
  os: facts.os,
  osVersion: facts.osVersion,
  osName: facts.osName,
  kernel: facts.kernel,
  kernelVersion: facts.kernelVersion,
  arch: facts.arch,
  cpus: facts.cpus,
  cpuModel: facts.cpuModel,
  memoryMb: facts.memoryMb,
  diskTotalMb: facts.diskTotalMb,
  diskFreeMb: facts.diskFreeMb,
  bootedAt: facts.bootedAt,
  init: facts.init,
  hostname: facts.hostname,
  pythonPath: facts.pythonPath,
  pythonVersion: facts.pythonVersion,
});
