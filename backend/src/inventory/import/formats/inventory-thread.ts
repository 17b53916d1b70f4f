import { INVENTORY_FORMATS, type InventoryTextRequest } from './import-formats.ts';
import { Findings, ReadingStoppedError } from './texts/findings.ts';
import type { ImportedHost, InventoryText } from './texts/inventory-text.ts';

const VAULT_HEADER_PATTERN = /^\s*\$ANSIBLE_VAULT;/;
const ENCRYPTED_MESSAGE =
  'Ansible Vault encrypted this text. Import the output of "ansible-vault view"; passwords and keys in it are not stored.';

/** Reads an inventory text. Never throws: returns problems as faults. */
export default function readInventoryText({ format: name, content }: InventoryTextRequest): InventoryText {
  const findings = new Findings();
  let hosts: ImportedHost[] = [];
  try {
    if (VAULT_HEADER_PATTERN.test(content)) findings.refuse(1, null, 'encrypted', ENCRYPTED_MESSAGE);
    const format = INVENTORY_FORMATS.find((each) => each.name === name);
    hosts = format?.read(content, findings) ?? [];
    if (hosts.length === 0 && !findings.hasFaults)
      findings.recordFault(null, null, 'no_hosts', `The text contains no host. ${format?.expected ?? ''}`);
  } catch (error) {
    // An error of a library may quote the text, which may contain a secret.
    if (!(error instanceof ReadingStoppedError))
      findings.recordFault(null, null, 'unreadable', 'The text cannot be read in this format.');
  }
  return { hosts: findings.hasFaults ? [] : hosts, ...findings.listNotCarried(), ...findings.listFaults() };
}
