import { Box, Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFileUpload } from '@tabler/icons-react';
import type { DragEvent } from 'react';
import { MAX_TEXT_BYTES } from './import-text';

/** Input for the text: typed, pasted, dropped or from a file. */
export function PlansTextInput({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const read = async (file: File | null | undefined) => {
    if (!file) return;
    if (file.size <= MAX_TEXT_BYTES) return onChange(await file.text());
    notifications.show({ color: 'red', message: `${file.name} is larger than 3 MiB. Split it.` });
  };
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    void read(file);
  };
  return (
    <Box onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()} onDrop={drop}>
      <Group justify="space-between" mb={6} gap="xs">
        <Text size="xs" c="dimmed">
          Paste text, drop a file, or choose a file.
        </Text>
        <FileButton onChange={(file) => void read(file)}>
          {(props) => (
            <Button variant="default" leftSection={<IconFileUpload size={15} aria-hidden />} {...props}>
              Choose file
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        label="Text"
        withAsterisk
        rows={14}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        classNames={{ input: 'rw-mono' }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Box>
  );
}
