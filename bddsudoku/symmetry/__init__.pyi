from bddsudoku.symmetry.canonical import CanonicalForm as CanonicalForm
from bddsudoku.symmetry.canonical import canonical_form as canonical_form
from bddsudoku.symmetry.canonical import is_isomorphic as is_isomorphic
from bddsudoku.symmetry.canonical_lists import canonical_many as canonical_many
