import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { toProblem } from '../../../api/errors';
import { type ExportForm, fetchExport } from '../../../api/queries/runs/run-exports';
import type { Execution } from '../../../api/types';
import { saveFile } from '../../../ui/copy/save-file';

const EXPORT_FORMS: { form: ExportForm; label: string; ending: string }[] = [
  { form: 'junit', label: 'Results as JUnit (XML)', ending: 'results.xml' },
  { form: 'results', label: 'Results as NDJSON', ending: 'results.ndjson' },
  { form: 'output', label: 'Output as NDJSON', ending: 'output.ndjson' },
];

export function ResultsMenu({ run }: { run: Execution }) {
  const download = useMutation({
    mutationFn: async ({ form, ending }: (typeof EXPORT_FORMS)[number]) =>
      saveFile(`${run.planName} ${run.id.slice(-8)} ${ending}`, await fetchExport(run.id, form)),
    onError: (error) =>
      notifications.show({ color: 'red', title: toProblem(error).title, message: toProblem(error).message }),
  });
  return (
    <Menu position="bottom-end" width={240}>
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
        {EXPORT_FORMS.map((each) => (
          <Menu.Item key={each.form} onClick={() => download.mutate(each)}>
            {each.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
