import type { ImportFormat } from '../../../../api/types';

interface FormatText {
  label: string;
  meaning: string;
}

export const FORMATS: Record<ImportFormat, FormatText> = {
  'ansible-ini': {
    label: 'Ansible inventory, INI',
    meaning: 'Groups such as [web] with one host or range per line, as in a file named hosts.',
  },
  'ansible-yaml': {
    label: 'Ansible inventory, YAML',
    meaning: 'Hosts under “hosts:” of groups such as “all:”, as in inventory.yml.',
  },
  'ansible-json': {
    label: 'Ansible inventory, JSON',
    meaning: 'Output of “ansible-inventory --list”, including dynamic inventories.',
  },
  'ssh-config': {
    label: 'SSH config',
    meaning: '“Host” entries as in ~/.ssh/config. Patterns such as “Host *” are not servers.',
  },
  json: {
    label: 'List of servers, JSON',
    meaning:
      'Runward format: [{"name": "web-1", "hostname": "10.0.0.1"}], optionally with external IDs, tags and host keys.',
  },
};

export const FORMAT_CHOICES = Object.entries(FORMATS).map(([value, { label }]) => ({ value, label }));
