import { Box, FileButton, Button, Group, Text, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconFileUpload } from '@tabler/icons-react';
import { type DragEvent, type RefObject, useState } from 'react';
import classes from './form.module.css';
import { fileFault, type ImportForm, MAX_TEXT_BYTES, withText } from './import-form';

interface Props {
  form: UseFormReturnType<ImportForm>;
  field: RefObject<HTMLTextAreaElement | null>;
}

const EXAMPLE_TEXT = '[web]\nweb-[1:3] ansible_host=10.0.0.5 ansible_user=deploy';

export function TextField({ form, field }: Props) {
  const [isDraggedOver, setIsDraggedOver] = useState(false);
  const write = (content: string, fileName?: string) => form.setValues(withText(form.getValues(), content, fileName));
  const read = async (file: File | null | undefined) => {
    if (!file) return;
    const content = file.size > MAX_TEXT_BYTES ? '' : await file.text();
    const fault = fileFault(file, content);
    if (fault) return form.setFieldError('content', `${file.name}: ${fault}`);
    write(content, file.name);
    form.clearFieldError('content');
  };
  const drop = (event: DragEvent) => {
    setIsDraggedOver(false);
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    void read(file);
  };
  const { onChange: _, ...input } = form.getInputProps('content') as { value: string; onChange: unknown };
  return (
    <Box
      className={isDraggedOver ? classes.over : undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsDraggedOver(true);
      }}
      onDragLeave={() => setIsDraggedOver(false)}
      onDrop={drop}
    >
      <Group justify="space-between" mb={6} gap="xs">
        <Text size="xs" c="dimmed">
          Paste text, drop a file, or choose a file. At most 4 MiB.
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
        ref={field}
        label="Inventory text"
        withAsterisk
        placeholder={EXAMPLE_TEXT}
        rows={18}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        classNames={{ input: classes.text }}
        {...input}
        onChange={(event) => write(event.currentTarget.value)}
      />
    </Box>
  );
}
