import { readAnsibleIni } from './ansible/ansible-ini.ts';
import { readAnsibleJson } from './ansible/ansible-json.ts';
import { readAnsibleYaml } from './ansible/ansible-yaml.ts';
import { Findings, ReadingStoppedError } from './texts/findings.ts';
import type { ImportedHost, ImportFormat, InventoryText, InventoryTextRequest } from './texts/inventory-text.ts';
import { readServerList } from './servers/server-list.ts';
import { readSshConfig } from './openssh/ssh-config.ts';

interface InventoryFormat {
  readonly read: (content: string, findings: Findings) => ImportedHost[];
  /** What the format expects; shown if the text names no host. */
  readonly expected: string;
}

const INVENTORY_FORMATS: Readonly<Record<ImportFormat, InventoryFormat>> = {
  json: {
    read: readServerList,
    expected: 'Send a list of servers, such as [{"name": "web-1", "hostname": "10.0.0.1"}].',
  },
  'ansible-ini': {
    read: readAnsibleIni,
    expected: 'Write one host per line, in groups such as [web], as in an Ansible INI inventory.',
  },
  'ansible-yaml': {
    read: readAnsibleYaml,
    expected: 'Write hosts under "hosts:" of a group such as "all:", as in an Ansible YAML inventory.',
  },
  'ansible-json': {
    read: readAnsibleJson,
    expected: 'Send the output of "ansible-inventory --list": groups with their "hosts", and "_meta" with "hostvars".',
  },
  'ssh-config': {
    read: readSshConfig,
    expected:
      'Write "Host" entries with complete names, such as "Host web-1"; patterns such as "Host *" are not servers.',
  },
};

const VAULT_HEADER_PATTERN = /^\s*\$ANSIBLE_VAULT;/;
const ENCRYPTED_MESSAGE =
  'Ansible Vault encrypted this text. Import the output of "ansible-vault view"; passwords and keys in it are not stored.';

/** Reads an inventory text. Never throws: returns problems as faults. */
export default function readInventoryText({ format, content }: InventoryTextRequest): InventoryText {
  const findings = new Findings();
  let hosts: ImportedHost[] = [];
  try {
    if (VAULT_HEADER_PATTERN.test(content)) findings.refuse(1, null, 'encrypted', ENCRYPTED_MESSAGE);
    hosts = INVENTORY_FORMATS[format].read(content, findings);
    if (hosts.length === 0 && !findings.hasFaults) {
      findings.recordFault(null, null, 'no_hosts', `The text contains no host. ${INVENTORY_FORMATS[format].expected}`);
    }
  } catch (error) {
    // An error of a library may quote the text, which may contain a secret.
    if (!(error instanceof ReadingStoppedError))
      findings.recordFault(null, null, 'unreadable', 'The text cannot be read in this format.');
  }
  return { hosts: findings.hasFaults ? [] : hosts, ...findings.listNotCarried(), ...findings.listFaults() };
}
