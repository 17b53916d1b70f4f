import type { ExportFormat } from '../../../api/queries/inventory/servers';

export const SERVER_EXPORTS: { format: ExportFormat; file: string; label: string }[] = [
  { format: 'json', file: 'servers.json', label: 'List of servers for import (JSON)' },
  { format: 'ansible-json', file: 'inventory.json', label: 'Ansible inventory (JSON)' },
  { format: 'ssh-config', file: 'ssh_config', label: 'OpenSSH config' },
];
