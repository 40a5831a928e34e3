# The Debian package: cpack -G DEB --config build/release/CPackConfig.cmake (app/package/README.md).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME whisper-npu)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The whisper-npu authors <whisper-npu@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION sound)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libwhisper_npu.so is in the same package, which has no symbols file of it.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/app/engine)
# Loaded where they are needed: FFmpeg's libraries, of the versions that this was built for, libcurl for
# models pull, ALSA for a microphone.
set(loaded)
foreach(library libavformat libavcodec libavutil libswresample)
  pkg_check_modules(${library} REQUIRED ${library})
  string(REGEX MATCH "^[0-9]+" major ${${library}_VERSION})
  list(APPEND loaded ${library}${major})
endforeach()
list(JOIN loaded ", " loaded)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${loaded}, libcurl4 | libcurl4t64, libasound2 | libasound2t64, ca-certificates")
# fp32 on BLAS, and the benchmark's peers.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas0, python3")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Any audio or video file to text, subtitles or JSON, with any Whisper model
(CTranslate2, HuggingFace, ggml, openai's); a command, a library for C and C++,
and an encoder for AMD XDNA NPUs, which has run in a simulator alone so far.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/whisper-npu)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${doc})
# As Debian wants it: compressed, without the time in the archive.
set(changelog ${CMAKE_BINARY_DIR}/changelog.gz)
execute_process(COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md OUTPUT_FILE ${changelog} COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${changelog} DESTINATION ${doc})
# Below lib itself, where systemd looks in each distribution.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/whisper-npu.service ${CMAKE_CURRENT_LIST_DIR}/whisper-npu.socket
        DESTINATION lib/systemd/system)
include(CPack)
