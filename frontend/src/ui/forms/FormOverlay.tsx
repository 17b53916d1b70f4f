import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { type InputEvent, useRef } from 'react';

const DISCARD_QUESTION = 'Close without saving? Your edits will be lost.';

/** Asks before Escape, the close button or a click outside discards edits. */
function useCloseGuard({ onClose, onInput }: Pick<ModalProps, 'onClose' | 'onInput'>) {
  const hasInput = useRef(false);
  return {
    onInput: (event: InputEvent<HTMLDivElement>) => {
      hasInput.current = true;
      onInput?.(event);
    },
    onClose: () => {
      if (!hasInput.current || window.confirm(DISCARD_QUESTION)) onClose();
    },
  };
}

export const FormModal = (props: ModalProps) => <Modal {...props} {...useCloseGuard(props)} />;

export const FormDrawer = (props: DrawerProps) => <Drawer {...props} {...useCloseGuard(props)} />;
