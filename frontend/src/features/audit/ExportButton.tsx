import { notifications } from '@mantine/notifications';
import { IconDownload } from '@tabler/icons-react';
import { toProblem } from '../../api/errors';
import { type AuditFilters, useExportAudit } from '../../api/queries/access/audit';
import { saveFile } from '../../ui/copy/save-file';
import { ActionButton } from '../../ui/page/ActionButton';

export function ExportButton({ filters }: { filters: AuditFilters }) {
  const download = useExportAudit();
  const save = () =>
    download.mutate(filters, {
      onSuccess: (entries) => saveFile(`audit-${new Date().toISOString().slice(0, 10)}.ndjson`, entries),
      onError: (error) => notifications.show({ color: 'red', message: `Export failed: ${toProblem(error).message}` }),
    });
  return (
    <ActionButton icon={IconDownload} loading={download.isPending} onClick={save}>
      Export as NDJSON
    </ActionButton>
  );
}
