import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { type InputEvent, useRef } from 'react';

const QUESTION = 'Close without saving? Your edits will be lost.';

/** Asks before Escape, the close button or a click outside discards edits. */
function useCloseGuard({ onClose, onInput }: Pick<ModalProps, 'onClose' | 'onInput'>) {
  const typed = useRef(false);
  return {
    onInput: (event: InputEvent<HTMLDivElement>) => {
      typed.current = true;
      onInput?.(event);
    },
    onClose: () => {
      if (!typed.current || window.confirm(QUESTION)) onClose();
    },
  };
}

export const FormModal = (props: ModalProps) => <Modal {...props} {...useCloseGuard(props)} />;

export const FormDrawer = (props: DrawerProps) => <Drawer {...props} {...useCloseGuard(props)} />;
