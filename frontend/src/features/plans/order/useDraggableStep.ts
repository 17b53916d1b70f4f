import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import {
  draggable,
  dropTargetForElements,
  type ElementDropTargetEventBasePayload,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { edgeAt, type Edge } from './step-order';
import classes from './order.module.css';

interface Draggable {
  card: RefObject<HTMLElement | null>;
  handle: RefObject<HTMLElement | null>;
  row: string;
  /** Text of the preview beside the pointer. The card itself may be taller than the window. */
  label: string;
  enabled: boolean;
}

/** Makes a step draggable by its handle, and its card a drop target. */
export function useDraggableStep({ card, handle, row, label, enabled }: Draggable) {
  const [dragged, setDragged] = useState(false);
  const [edge, setEdge] = useState<Edge | null>(null);
  const latest = useRef(label);
  useEffect(() => {
    latest.current = label;
  });
  useEffect(() => {
    const element = card.current;
    const dragHandle = handle.current;
    if (!enabled || !element || !dragHandle) return;
    const show = ({ self, source }: ElementDropTargetEventBasePayload) =>
      setEdge(source.data.step === row ? null : (self.data.edge as Edge));
    return combine(
      draggable({
        element,
        dragHandle,
        getInitialData: () => ({ step: row }),
        onGenerateDragPreview: ({ nativeSetDragImage }) =>
          setCustomNativeDragPreview({
            nativeSetDragImage,
            render: ({ container }) => {
              const preview = document.createElement('div');
              preview.className = classes.preview ?? '';
              preview.textContent = latest.current;
              container.append(preview);
            },
          }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => typeof source.data.step === 'string',
        getData: ({ input }) => ({ step: row, edge: edgeAt(input.clientY, element.getBoundingClientRect()) }),
        onDragEnter: show,
        onDrag: show,
        onDragLeave: () => setEdge(null),
        onDrop: () => setEdge(null),
      }),
    );
  }, [card, handle, row, enabled]);
  return { dragged, edge };
}
