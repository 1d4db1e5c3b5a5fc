/** What a lowered depth deletes: the question before it, and the remark while it waits. */
export const depthLoss = {
  'depthLoss.title': 'Delete older recordings?',
  'depthLoss.text': 'Keeping {depth} deletes {duration} of {name}, {size}.',
  'depthLoss.wait':
    'The first recordings go in an hour at the earliest; until then you can set the depth back.',
  'depthLoss.withoutNodes': 'What {nodes} recorded is not counted: there is no answer from there now.',
  'depthLoss.submit': 'Delete older recordings',
  'depthLoss.pending':
    'At {time} recordings older than {depth} begin to be deleted: {size}. Set the depth back to keep them.',
};
