import { modals } from '@mantine/modals';

let open: Promise<boolean> | null = null;

/** Asks whether unsaved input may be lost. Returns the answer of the open question, if there is one. */
export function askToDiscard(title: string): Promise<boolean> {
  open ??= ask(title).finally(() => {
    open = null;
  });
  return open;
}

const ask = (title: string) =>
  new Promise<boolean>((resolve) => {
    modals.openConfirmModal({
      title,
      children: 'Your edits are not saved yet.',
      labels: { confirm: 'Discard edits', cancel: 'Keep editing' },
      confirmProps: { color: 'red' },
      withCloseButton: false,
      // Above the dialog whose input is asked about.
      zIndex: 400,
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    });
  });
