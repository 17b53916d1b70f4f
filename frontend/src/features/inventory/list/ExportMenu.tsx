import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { toProblem } from '../../../api/errors';
import { type ExportFormat, type ServerFilters, useExportServers } from '../../../api/queries/inventory/servers';
import { saveFile } from '../../../ui/copy/save-file';

const FORMATS: { format: ExportFormat; file: string; label: string }[] = [
  { format: 'json', file: 'servers.json', label: 'List of servers for import (JSON)' },
  { format: 'ansible-json', file: 'inventory.json', label: 'Ansible inventory (JSON)' },
  { format: 'ssh-config', file: 'ssh_config', label: 'OpenSSH config' },
];

export function ExportMenu({ filters }: { filters: ServerFilters }) {
  const download = useExportServers();
  const save = (format: ExportFormat, file: string) =>
    download.mutate(
      { filters, format },
      {
        onSuccess: (text) => saveFile(file, text),
        onError: (error) => notifications.show({ color: 'red', message: `Export failed: ${toProblem(error).message}` }),
      },
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          loading={download.isPending}
          leftSection={<IconDownload size={15} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ format, file, label }) => (
          <Menu.Item key={format} onClick={() => save(format, file)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
