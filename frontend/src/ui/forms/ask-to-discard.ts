import { modals } from '@mantine/modals';

let open: Promise<boolean> | null = null;

/** Asks whether unsaved input may be lost. Returns the answer of the open question, if there is one. */
export function askToDiscard(title: string): Promise<boolean> {
  open ??= ask(title)
    .then((isDiscarded) => {
      if (isDiscarded) discards.dispatchEvent(new Event('discard'));
      return isDiscarded;
    })
    .finally(() => {
      open = null;
    });
  return open;
}

const discards = new EventTarget();

/** Calls a function when unsaved input is discarded. @returns function that stops the calls */
export function onDiscard(callback: () => void): () => void {
  discards.addEventListener('discard', callback);
  return () => discards.removeEventListener('discard', callback);
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
