import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { copyText } from './copy-text';

interface Props {
  value: string;
  /** Name of the copied text, such as "public key". */
  what: string;
  /** Text of the button; absent = a button with only an icon. */
  children?: string;
  variant?: string;
}

export function CopyButton({ value, what, children, variant }: Props) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    const copied = await copyText(value);
    if (!copied) {
      notifications.show({
        color: 'red',
        message: `The browser blocked copying. Select the ${what} and copy it manually.`,
      });
      return;
    }
    setIsCopied(true);
    window.setTimeout(() => setIsCopied(false), 1600);
  };
  const icon = isCopied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />;
  if (children) {
    return (
      <Button variant={variant ?? 'default'} leftSection={icon} onClick={() => void copy()}>
        {isCopied ? 'Copied' : children}
      </Button>
    );
  }
  const label = isCopied ? 'Copied' : `Copy ${what}`;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => void copy()}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
