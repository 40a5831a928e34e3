# Comments of the public headers as Doxygen takes them: before what they are about, and behind it.
s#^\( *\)//\( \|$\)#\1///\2#
s#\([;,{)]  *\)// #\1///< #
