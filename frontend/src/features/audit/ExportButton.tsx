import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload } from '@tabler/icons-react';
import { toProblem } from '../../api/errors';
import { type AuditFilters, useExportAudit } from '../../api/queries/access/audit';
import { saveFile } from '../../ui/copy/save-file';

export function ExportButton({ filters }: { filters: AuditFilters }) {
  const download = useExportAudit();
  const save = () =>
    download.mutate(filters, {
      onSuccess: (entries) => saveFile(`audit-${new Date().toISOString().slice(0, 10)}.ndjson`, entries),
      onError: (error) => notifications.show({ color: 'red', message: `Export failed: ${toProblem(error).message}` }),
    });
  return (
    <Button
      variant="default"
      loading={download.isPending}
      onClick={save}
      leftSection={<IconDownload size={15} aria-hidden />}
    >
      Export as NDJSON
    </Button>
  );
}
