import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { type InputEvent, useEffect, useRef, useState } from 'react';
import { askToDiscard } from './ask-to-discard';

/** Asks before Escape, the close button or a click outside discards edits. */
function useCloseGuard({ onClose, onInput }: Pick<ModalProps, 'onClose' | 'onInput'>) {
  const hasInput = useRef(false);
  const isAsking = useRef(false);
  const close = async () => {
    if (isAsking.current) return;
    if (!hasInput.current) return onClose();
    isAsking.current = true;
    const isDiscarded = await askToDiscard('Close without saving?');
    // The key press that closes the question reaches this dialog too.
    setTimeout(() => {
      isAsking.current = false;
    });
    if (isDiscarded) onClose();
  };
  return {
    onInput: (event: InputEvent<HTMLDivElement>) => {
      hasInput.current = true;
      onInput?.(event);
    },
    onClose: () => void close(),
  };
}

/** Returns the element that opened the dialog. A menu is closed later, so this is its button instead of its item. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const menuButton = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = menuButton ? document.getElementById(menuButton) : focused;
  return opener instanceof HTMLElement ? opener : null;
}

/** Returns the focus when a dialog is removed while open, as dialogs are whose state is in the URL. */
function useFocusReturn() {
  const [opener] = useState(findOpener);
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement === document.body) opener?.focus();
      });
    },
    [opener],
  );
}

export function FormModal(props: ModalProps) {
  useFocusReturn();
  return <Modal {...props} {...useCloseGuard(props)} />;
}

export function FormDrawer(props: DrawerProps) {
  useFocusReturn();
  return <Drawer {...props} {...useCloseGuard(props)} />;
}
