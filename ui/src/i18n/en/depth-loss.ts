/** Confirmation before a smaller depth deletes recordings, and the notice until it does. */
export const depthLoss = {
  'depthLoss.title': 'Delete older recordings?',
  'depthLoss.text': 'If you keep only {depth}, {duration} of {name} ({size}) will be deleted.',
  'depthLoss.wait':
    'Deletion starts in an hour at the earliest; until then you can restore the previous depth.',
  'depthLoss.withoutNodes': 'Recordings on {nodes} are not counted: no answer at the moment.',
  'depthLoss.submit': 'Delete older recordings',
  'depthLoss.pending':
    'Recordings older than {depth} will be deleted from {time} on: {size}. To keep them, restore the previous depth.',
};
