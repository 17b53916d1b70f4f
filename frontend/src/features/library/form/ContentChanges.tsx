import { Button, Stack, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconGitCompare } from '@tabler/icons-react';
import { diffLines } from '../../../ui/diff/diff-lines';
import { DiffText } from '../../../ui/diff/DiffText';

/** Differences of the unsaved content from the saved one, on request. */
export function ContentChanges({ saved, content }: { saved: string; content: string }) {
  const [opened, { toggle }] = useDisclosure();
  const [settled] = useDebouncedValue(content, 300);
  if (saved === content) return null;
  return (
    <Stack gap="xs" mt="md" align="flex-start">
      <Button
        variant="default"
        aria-expanded={opened}
        leftSection={<IconGitCompare size={15} aria-hidden />}
        onClick={toggle}
      >
        {opened ? 'Hide changes' : 'Show changes'}
      </Button>
      {opened && <Changes saved={saved} content={settled} />}
    </Stack>
  );
}

function Changes({ saved, content }: { saved: string; content: string }) {
  const lines = diffLines(saved, content);
  const count = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length;
  return (
    <Stack gap={4} w="100%">
      <Text size="xs" c="dimmed">
        {count('added')} added, {count('removed')} removed
      </Text>
      <DiffText label="Unsaved changes" lines={lines} />
    </Stack>
  );
}
