import { Button, Menu, type MenuProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { saveFile } from './save-file';

interface Props<Format> {
  formats: readonly { format: Format; file: string; label: string }[];
  download: (format: Format) => Promise<Blob>;
  /** Notification after a failed download. */
  describeError: (error: unknown) => { title?: string; message: string };
  width?: MenuProps['width'];
  /** Items after the downloads. */
  children?: ReactNode;
}

/** Menu of downloads, one item for each format. */
export function ExportMenu<Format extends string>({
  formats,
  download,
  describeError,
  width,
  children,
}: Props<Format>) {
  const save = useMutation({
    mutationFn: async ({ format, file }: { format: Format; file: string }) => saveFile(file, await download(format)),
    gcTime: 0,
    onError: (error) => notifications.show({ color: 'red', ...describeError(error) }),
  });
  return (
    <Menu position="bottom-end" width={width}>
      <Menu.Target>
        <Button
          variant="default"
          loading={save.isPending}
          leftSection={<IconDownload size={15} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map(({ format, file, label }) => (
          <Menu.Item key={format} onClick={() => save.mutate({ format, file })}>
            {label}
          </Menu.Item>
        ))}
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
