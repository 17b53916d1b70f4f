import type { ImportFormat } from '../../../../api/types';

interface FormatText {
  label: string;
  /** What such a text is, in a sentence. */
  meaning: string;
}

export const FORMATS: Record<ImportFormat, FormatText> = {
  'ansible-ini': {
    label: 'Ansible inventory, INI',
    meaning: 'Groups such as [web] with a host or a range a line, as in a file named hosts.',
  },
  'ansible-yaml': {
    label: 'Ansible inventory, YAML',
    meaning: 'Hosts under “hosts:” of groups such as “all:”, as in inventory.yml.',
  },
  'ansible-json': {
    label: 'Ansible inventory, JSON',
    meaning: 'What “ansible-inventory --list” writes; of dynamic inventories too.',
  },
  'ssh-config': {
    label: 'SSH config',
    meaning: '“Host” entries as in ~/.ssh/config; patterns such as “Host *” are no servers.',
  },
  json: {
    label: 'List of servers, JSON',
    meaning: 'Runward’s own: [{"name": "web-1", "hostname": "10.0.0.1"}]; also with external ids, tags and host keys.',
  },
};

export const FORMAT_CHOICES = Object.entries(FORMATS).map(([value, { label }]) => ({ value, label }));
