import type { ImportFormat } from '../../src/inventory/import/formats/import-formats.js';
import type { ImportedHost, InventoryText } from '../../src/inventory/import/formats/texts/inventory-text.js';
import readInventoryText from '../../src/inventory/import/formats/inventory-thread.js';

export function textReader(format: ImportFormat) {
  const read = (content: string): InventoryText => readInventoryText({ format, content });

  const hosts = (content: string): Record<string, ImportedHost> => {
    const { hosts: found, faults: refusals } = read(content);
    if (refusals.length > 0) throw new Error(`The text is refused: ${JSON.stringify(refusals)}`);
    return Object.fromEntries(found.map((host) => [host.name, host]));
  };

  /** Skipped entries by name, each with line, entry and reason. */
  const leftOut = (content: string): Record<string, string> => {
    const found = read(content).notCarried.map(({ line, entry, what, reason, places }) => {
      return [what, `${line} ${entry}${places > 1 ? ` ×${places}` : ''}: ${reason}`] as const;
    });
    return Object.fromEntries(found);
  };

  const faults = (content: string): string[] =>
    read(content).faults.map(({ line, entry, code }) => `${line} ${entry} ${code}`);

  const message = (content: string): string => read(content).faults[0]?.message ?? '';

  return { read, hosts, leftOut, faults, message };
}
