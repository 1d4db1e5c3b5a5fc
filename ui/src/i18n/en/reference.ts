/** The documentation of the API. */
export const reference = {
  'swagger.intro':
    'Every call of this server. Sign in with a token made in your profile: “Authorization: Bearer …”.',
  'swagger.search': 'Search name, address, summary',
  'swagger.nothing': 'No call matches all the words.',
  'swagger.download': 'OpenAPI document',
  'swagger.parameters': 'Parameters',
  'swagger.body': 'Body',
  'swagger.answer': 'Answer',
  'swagger.errors': 'Errors',
  'swagger.required': 'required',
  'swagger.example': 'Example',
  'swagger.try': 'Try it',
  'swagger.send': 'Send',
};
