/** The checklist after the setup. */
export const firstSteps = {
  'firstSteps.text': 'Six things that make recordings reliable. You can come back to each of them later.',
  'firstSteps.finish': 'Close the checklist',
  'firstSteps.open': 'to do',
  'firstSteps.done': 'done',
  'firstSteps.wrong': 'needs attention',
  'firstSteps.cameras': 'Add cameras',
  'firstSteps.cameras.text':
    '{count, plural, =0 {None yet. Each camera has its own recording limit.} one {# stream. Each has its own recording limit.} other {# streams. Each has its own recording limit.}}',
  'firstSteps.disk': 'Disk space, and how long to keep recordings',
  'firstSteps.disk.text':
    '{free} of {total} free. The oldest recordings are deleted when a limit is reached or the disk is nearly full.',
  'firstSteps.time': 'Date and time',
  'firstSteps.time.same':
    'The clocks of the server and of this computer agree. The server’s time zone: {zone}.',
  'firstSteps.time.differs':
    'The clocks of the server and of this computer differ by {duration}. Synchronize both with NTP. The server’s time zone: {zone}.',
  'firstSteps.people': 'Add users',
  'firstSteps.people.text':
    '{count, plural, =0 {Only you so far. Give each person an account of their own.} one {# other user.} other {# other users.}}',
  'firstSteps.mail': 'Connect a mail server',
  'firstSteps.mail.on': 'The server can send mail.',
  'firstSteps.mail.off': 'Without one, users can’t recover their passwords by mail.',
  'firstSteps.notifications': 'Be notified',
  'firstSteps.notifications.text':
    '{count, plural, =0 {No rule yet. A rule tells you when a camera goes dark, for example.} one {# rule.} other {# rules.}}',
};
